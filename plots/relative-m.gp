
# Time against m by that of the fastest, a line per algorithm.
height = 6.6 + (columns(longest) == 1 ? 0.18 * series : 0)
eval frame(height, (series + 1) / 2, longest)
eval x_axis
eval y_axis
do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    plot for [i = 1:series] data index i-1 using ($2*share):5 with linespoints lt i title titles[i]
    unset output
}
