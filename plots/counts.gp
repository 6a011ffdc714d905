
# Time against m: a panel per algorithm, two abreast, a line per kind of counts.
lines = series
rows = (panels + 1) / 2
height = fit(2.2 + 0.36 * lines + 3 * rows)
right = 1 - across(0.2125)
gap = 0.025 # between rows
between = across(0.51) # columns
wide = (right - left - between) / 2
do for [format in formats] {
    eval begin(format)
    eval frame(height, lines, longest)
    set key maxcols 1
    low = 3.1 * line(height)
    high = 1 - (head + 1 + key_lines(lines)) * line(height)
    tall = (high - low + gap) / rows
    set multiplot
    do for [i = 1:panels] {
        aside = (i - 1) % 2
        down = (i - 1) / 2
        hidden = i + 2 <= panels
        eval x_axis
        eval numbers("x")
        if (hidden) { set xlabel "" }
        hidden = aside == 1
        eval y_axis
        eval numbers("y")
        if (hidden) { unset ylabel } # the left panel has the numbers
        hidden = 0
        set lmargin at screen left + aside * (wide + between)
        set rmargin at screen left + aside * (wide + between) + wide
        set tmargin at screen high - down * tall
        set bmargin at screen high - (down + 1) * tall + gap
        set label 3 show(names[i]) at graph 0.04,0.9 left
        plot for [k = 1:banded(lines)] data index (i-1)*lines+k-1 using ($3*share):($6*unit):($7*unit) with filledcurves lt k fs transparent solid 0.15 noborder, \
            for [k = 1:barred(lines)] data index (i-1)*lines+k-1 using ($3*share):($5*unit):($6*unit):($7*unit) with yerrorbars lt k dt 1 lw 0.7 ps 0.01, \
            for [k = 1:lines] data index (i-1)*lines+k-1 using ($3*share):($5*unit) with linespoints lt k \
            title (i == 1 ? show(titles[k]) : "")
        unset key
        unset label 1
        unset label 2
        unset label 4
    }
    unset multiplot
    unset label
    set key
    unset output
}
