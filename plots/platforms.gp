# Time by platform: a panel per placement, one above the other, a line per algorithm.
longest_name = 0
do for [i = 1:platforms] { longest_name = larger(longest_name, strlen(platform_names[i])) }
# Of a wanted height names have at most a part.
most_letters = asked_height > 0 ? larger(8, int((0.42 * asked_height / letter * 8 - 0.5) / 0.155)) : longest_name
platform_name(i) = strlen(platform_names[i]) <= most_letters ? platform_names[i] : platform_names[i][1:most_letters-3]."..."
longest_name = longest_name < most_letters ? longest_name : most_letters
lines = series
rows = (lines + 1) / 2
below = (0.5 + 0.155 * longest_name) * letter / 8 # cm for the names, which are upright
height = fit(below + 1.3 + 0.36 * rows + 3.4 * panels)
set xrange [0.6:platforms+0.4]
do for [format in formats] {
    eval begin(format)
    eval frame(height, rows, longest)
    high = 1 - (head + 1 + key_lines(rows)) * line(height)
    low = below / height
    gap = 0.15 / height
    tall = (high - low + gap) / panels
    set multiplot
    do for [i = 1:panels] {
        eval y_axis
        set tmargin at screen high - (i - 1) * tall
        set bmargin at screen high - i * tall + gap
        set xtics rotate by 90 right offset 0,0 ()
        do for [k = 1:platforms] { set xtics add (i < panels ? "" : tick(platform_name(k)) k) } # the lowest panel has the names
        set label 3 show(panel_names[i]) at graph 0.98,0.93 right
        plot for [k = 1:banded(lines)] data index (i-1)*lines+k-1 using 4:($7*unit):($8*unit) with filledcurves lt styles[k] fs transparent solid 0.15 noborder, \
            for [k = 1:barred(lines)] data index (i-1)*lines+k-1 using 4:($6*unit):($7*unit):($8*unit) with yerrorbars lt styles[k] dt 1 lw 0.7 ps 0.01, \
            for [k = 1:lines] data index (i-1)*lines+k-1 using 4:($6*unit) with linespoints lt styles[k] \
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
