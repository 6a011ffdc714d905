
# Time of one rank's schedules against p: medians joined, quartiles as bars or bands. The first series, the
# paper's, has none.
spreads = 1
do for [format in formats] {
    eval begin(format)
    eval frame(height, (series + 1) / 2, longest)
    eval x_axis
    eval y_axis
    set ylabel show(y_text("time per rank (".(unit == 1e9 ? "ns" : "µs").")"))
    plot for [i = 2:banded(series)] data index i-1 using 1:($3*unit):($4*unit) with filledcurves lt i fs transparent solid 0.15 noborder, \
         for [i = 2:barred(series)] data index i-1 using 1:($2*unit):($3*unit):($4*unit) with yerrorbars lt i dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index i-1 using 1:($2*unit) with linespoints lt i title show(titles[i])
    unset output
}
