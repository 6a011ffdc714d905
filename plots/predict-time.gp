
# Time against the size, a colour per algorithm that comes near the fastest: points are measured, lines predicted,
# and thin bars, side by side, the intervals of the predictions. Other algorithms have thin grey lines, and the
# library's choice has black crosses.
height = fit(6.8 + 0.36 * (columns(longest) == 1 ? series : (series + 1) / 2))
plans = series - own - others
beside(i) = 2 ** (0.22 * (i - (plans + 1) / 2.0))
do for [format in formats] {
    eval begin(format)
    eval frame(height, (series + 1) / 2, longest)
    # Names such as bine_block_by_block_over_any_even need the picture's whole width.
    if (longest > 24 && legend eq "top") { set key at screen across(1.19),(1 - (head + 0.4) * line(height)) left top horizontal Left reverse width 0 maxcols 1 }
    eval x_axis
    eval y_axis
    plot for [i = 1:others] data index plans using 1:($3*unit) with lines lc rgb "#c8c8c8" dt 1 lw 0.6, \
         for [i = 1:plans] data index i-1 using ($1*beside(i)):($3*unit):($4*unit):($5*unit) with yerrorbars lt i dt 1 lw 0.4 ps 0.01, \
         for [i = 1:plans] data index i-1 using 1:($3*unit) with lines lt i, \
         for [i = 1:plans] data index i-1 using 1:($2*unit) with points lt i ps 0.6*dot, \
         for [i = 1:own] data index series-1 using 1:($2*unit) with linespoints lc rgb "#000000" dt 3 lw 0.8 pt 2 ps 0.6*dot, \
         for [i = 1:plans] keyentry with linespoints lt i title show(titles[i]), \
         for [i = 1:others] keyentry with lines lc rgb "#c8c8c8" dt 1 lw 0.6 title show(titles[plans+1]), \
         for [i = 1:own] keyentry with linespoints lc rgb "#000000" dt 3 lw 0.8 pt 2 title show(titles[series])
    unset output
}
