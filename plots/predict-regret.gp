
# A cell per number of nodes and size, coloured by the time of a choice over that of the best: above of
# the predicted choice, below of the library's.
eval good_palette
height = fit(2.4 + (0.9 + 0.36 * rows) * panels)
set yrange [-0.5:rows-0.5]
step = 1 + (rows - 1) / 12
widest_row = 0
do for [i = 1:rows] { widest_row = larger(widest_row, strlen(rows_named[i])) }
if (widest_row > 4) {
    left = left + across(0.14 * (widest_row - 4))
    set lmargin at screen left
}
unset grid
unset key
do for [format in formats] {
    eval begin(format)
    set ytics scale 0 ("" -1)
    do for [i = 1:rows:step] { set ytics add (tick(rows_named[i]) i-1) }
    eval frame(height, 0, 0)
    set rmargin at screen beside_colours
    set ylabel show(y_text("nodes"))
    high = 1 - (head + 1.6) * line(height)
    low = 2.917 * line(height)
    gap = 1.667 * line(height)
    tall = (high - low + gap) / panels
    set colorbox user origin screen beside_colours + across(0.17), screen low size screen across(0.255), screen high - low
    set multiplot
    do for [i = 1:panels] {
        hidden = i < panels # the lowest panel has the sizes
        eval x_axis
        eval numbers("x")
        hidden = 0
        eval cb_axis
        set cblabel show("time / best time") offset beside,0
        set tmargin at screen high - (i - 1) * tall
        set bmargin at screen high - i * tall + gap
        if (i < panels) {
            set xlabel ""
            unset colorbox
        } else {
            set colorbox user origin screen beside_colours + across(0.17), screen low size screen across(0.255), screen high - low
        }
        set label 3 show(panel_names[i]) at graph 0.5,1 center offset 0,0.5
        plot data index i-1 using 3:1:4:5:($1-0.5):($1+0.5):6 with boxxyerror fillstyle solid noborder fc palette z
        unset label 1
        unset label 2
        unset label 4
    }
    unset multiplot
    unset label
    unset output
}
