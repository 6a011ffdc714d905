
# A cell per number of nodes and size, coloured by the time of a choice over that of the best: above of
# the predicted choice, below of the library's. Light is good; the colours (viridis) also darken in
# grey.
set palette defined (0 "#fde725", 0.13 "#addc30", 0.25 "#5ec962", 0.38 "#28ae80", 0.5 "#21918c", \
    0.63 "#2c728e", 0.75 "#3b528b", 0.88 "#472d7b", 1 "#440154")
height = 2.4 + (0.9 + 0.36 * rows) * panels
set yrange [-0.5:rows-0.5]
set ylabel "nodes"
set ytics scale 0 ("" -1)
step = 1 + (rows - 1) / 12
do for [i = 1:rows:step] { set ytics add (rows_named[i] i-1) }
unset grid
unset key
array panel_names[2] = ["predicted choice", "library's choice"]
do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    eval frame(height, 0, 0)
    set rmargin at screen 0.78
    high = 1 - 3.6 * line(height)
    low = 1.05 / height
    gap = 0.6 / height
    tall = (high - low + gap) / panels
    set colorbox user origin screen 0.8, screen low size screen 0.03, screen high - low
    set multiplot
    do for [i = 1:panels] {
        eval x_axis
        eval cb_axis
        set cblabel "time / best time" offset 0.3,0
        set tmargin at screen high - (i - 1) * tall
        set bmargin at screen high - i * tall + gap
        set xtics offset 0,0
        if (i < panels) { # the lowest panel has the sizes
            set xlabel ""
            set xtics offset screen 0,-2
            unset colorbox
        } else {
            set colorbox user origin screen 0.8, screen low size screen 0.03, screen high - low
        }
        set label 3 panel_names[i] at graph 0.5,1 center offset 0,0.5
        plot data index i-1 using 3:1:4:5:($1-0.5):($1+0.5):6 with boxxyerror fillstyle solid noborder fc palette z
        unset label 1
        unset label 2
    }
    unset multiplot
    unset label
    unset output
}
