
# Times between two ranks: medians with their confidence intervals, held-out ones hollow, and the
# fitted pieces as lines.
spreads = 1
set lmargin at screen larger(left, across(1.7))
do for [format in formats] {
    eval begin(format)
    eval frame(height, 2, longest)
    eval x_axis
    eval y_axis
    plot for [i = 1:series] data index 2*i-1 using 1:($2*unit) with lines lt i dt 1 lw 0.8, \
         for [i = 1:banded(series)] data index 2*i-2 using 1:($3*unit):($4*unit) with filledcurves lt i fs transparent solid 0.15 noborder, \
         for [i = 1:barred(series)] data index 2*i-2 using 1:($2*unit):($3*unit):($4*unit) with yerrorbars lt i dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index 2*i-2 using 1:($5 == 0 ? $2*unit : NaN) with points lt i title show(titles[i]), \
         for [i = 1:series] data index 2*i-2 using 1:($5 == 1 ? $2*unit : NaN) with points lt i pt 6 ps 0.8*dot title i == 1 ? "held out" : ""
    unset output
}
