
# Time against m by that of the fastest, a line per algorithm.
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
    plot for [i = 1:series] data index i-1 using ($2*share):5 with linespoints lt styles[i] title show(titles[i])
    unset label
    unset arrow
    unset output
}
