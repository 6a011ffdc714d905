
# Time against n: a line per p, a ring around the best n of each.
eval frame(height, series / 2 + 1, longest)
eval x_axis
eval y_axis
do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    plot for [i = 1:series] data index i-1 using 2:($3*unit) with linespoints lt i title titles[i], \
         data using ($4 == 1 ? $2 : NaN):($3*unit) with points pt 6 ps 1 lw 1.2 lc rgb "#000000" title "best n"
    unset output
}
