
# Time against m by that of the first file or setting, a line per algorithm.
if (ends) { legend = "none" }
height = fit(6.6 + (!ends && columns(longest) == 1 ? 0.18 * series : 0))
rows = ends ? 0 : key_rows(series, longest)
do for [format in formats] {
    eval begin(format)
    eval frame(height, rows, longest)
    if (ends) { set rmargin at screen name_edge(longest) - across(0.35) }
    eval x_axis
    eval y_axis
    if (ends) { eval place_names(2.8 * line(height), 1 - below_key(rows, longest) * line(height), height) }
    plot 1 with lines lc rgb "#888888" lw 1 dt 1, \
         for [i = 1:banded(series)] data index i-1 using ($2*share):6:7 with filledcurves lt styles[i] fs transparent solid 0.15 noborder, \
         for [i = 1:barred(series)] data index i-1 using ($2*share):5:6:7 with yerrorbars lt styles[i] dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index i-1 using ($2*share):5 with linespoints lt styles[i] title show(titles[i])
    unset label
    unset arrow
    unset output
}
