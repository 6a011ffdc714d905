
# Time against m by that of the fastest, a line per algorithm.
height = fit(6.6 + (columns(longest) == 1 ? 0.18 * series : 0))
do for [format in formats] {
    eval begin(format)
    eval frame(height, key_rows(series, longest), longest)
    eval x_axis
    eval y_axis
    plot for [i = 1:series] data index i-1 using ($2*share):5 with linespoints lt i title show(titles[i])
    unset output
}
