
# Regret in percent: points joined per series, and the median over all points.
median_title = sprintf("median %.2f %%", median * 100)
set yrange [*<0:*]
do for [format in formats] {
    eval begin(format)
    eval frame(height, series / 2 + 1, larger(longest, strlen(median_title)))
    set ylabel show(y_text("regret of the rule (%)"))
    eval x_axis
    plot for [i = 1:series] data index i-1 using (over_ranks ? $1 : $2):($5*100) with linespoints lt i title show(titles[i]), \
         median * 100 with lines lc rgb "#000000" dt (1,2) lw 1 title show(median_title)
    unset output
}
