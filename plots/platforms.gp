# Time by platform: a panel per placement, one above the other, a line per algorithm.
longest_name = 0
do for [i = 1:platforms] { longest_name = larger(longest_name, strlen(platform_names[i])) }
lines = series
rows = (lines + 1) / 2
below = 0.5 + 0.155 * longest_name # cm for the names, which are upright
height = below + 1.3 + 0.36 * rows + 3.4 * panels
do for [i = 1:platforms] { set xtics add (platform_names[i] i) }
set xrange [0.6:platforms+0.4]
do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    eval frame(height, rows, longest)
    high = 1 - (3 + rows) * line(height)
    low = below / height
    gap = 0.15 / height
    tall = (high - low + gap) / panels
    set multiplot
    do for [i = 1:panels] {
        eval y_axis
        set tmargin at screen high - (i - 1) * tall
        set bmargin at screen high - i * tall + gap
        set xtics rotate by 90 right offset 0,0
        if (i < panels) { set xtics offset screen 0,-2 } # the lowest panel has the names
        set label 3 panel_names[i] at graph 0.98,0.93 right
        plot for [k = 1:lines] data index (i-1)*lines+k-1 using 4:($6*unit) with linespoints lt k \
            title (i == 1 ? titles[k] : "")
        unset key
        unset label 1
        unset label 2
    }
    unset multiplot
    unset label
    set key
    unset output
}
