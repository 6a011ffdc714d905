
# Time against m: a panel per algorithm, two abreast, a line per kind of counts.
lines = series
rows = (panels + 1) / 2
height = 2.2 + 0.36 * lines + 3 * rows
left = 0.165
right = 0.975
gap = 0.025 # between rows
between = 0.06 # columns
width = (right - left - between) / 2
do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    eval frame(height, lines, longest)
    set key maxcols 1
    low = 3.1 * line(height)
    high = 1 - (3 + lines) * line(height)
    tall = (high - low + gap) / rows
    set multiplot
    do for [i = 1:panels] {
        eval x_axis
        eval y_axis
        across = (i - 1) % 2
        down = (i - 1) / 2
        set lmargin at screen left + across * (width + between)
        set rmargin at screen left + across * (width + between) + width
        set tmargin at screen high - down * tall
        set bmargin at screen high - (down + 1) * tall + gap
        set xtics offset 0,0
        set ytics offset 0,0
        if (across == 1) {
            unset ylabel
            set ytics offset screen -2,0 # the left panel has the numbers
        }
        if (i + 2 <= panels) {
            set xlabel ""
            set xtics offset screen 0,-2
        }
        set label 3 names[i] at graph 0.04,0.9 left
        plot for [k = 1:lines] data index (i-1)*lines+k-1 using ($3*share):($5*unit) with linespoints lt k \
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
