
# Time against the size, a colour per algorithm: points are measured, lines predicted, and bands reach
# as far as the intervals of the predictions. The library's choice has points and a grey line.
height = fit(6.8 + 0.36 * (columns(longest) == 1 ? series : (series + 1) / 2))
plans = series - own
do for [format in formats] {
    eval begin(format)
    eval frame(height, (series + 1) / 2, longest)
    # Names such as bine_block_by_block_over_any_even need the picture's whole width.
    if (longest > 24 && legend eq "top") { set key at screen across(1.19),(1 - (head + 0.4) * line(height)) left top horizontal Left reverse width 0 maxcols 1 }
    eval x_axis
    eval y_axis
    plot for [i = 1:plans] data index i-1 using 1:($4*unit):($5*unit) with filledcurves lt i fs transparent solid 0.12 noborder, \
         for [i = 1:plans] data index i-1 using 1:($3*unit) with lines lt i, \
         for [i = 1:plans] data index i-1 using 1:($2*unit) with points lt i ps 0.6*dot, \
         for [i = 1:own] data index series-1 using 1:($2*unit) with linespoints lc rgb "#999999" dt 1 lw 0.8 pt 2, \
         for [i = 1:plans] keyentry with linespoints lt i title show(titles[i]), \
         for [i = 1:own] keyentry with linespoints lc rgb "#999999" dt 1 lw 0.8 pt 2 title show(titles[series])
    unset output
}
