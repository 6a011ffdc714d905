
# Time against m by that of the first file or setting, a line per algorithm.
height = fit(6.6 + (columns(longest) == 1 ? 0.18 * series : 0))
do for [format in formats] {
    eval begin(format)
    eval frame(height, key_rows(series, longest), longest)
    eval x_axis
    eval y_axis
    plot 1 with lines lc rgb "#888888" lw 1 dt 1, \
         for [i = 1:banded(series)] data index i-1 using ($2*share):6:7 with filledcurves lt i fs transparent solid 0.15 noborder, \
         for [i = 1:barred(series)] data index i-1 using ($2*share):5:6:7 with yerrorbars lt i dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index i-1 using ($2*share):5 with linespoints lt i title show(titles[i])
    unset output
}
