
# Predicted over measured time: 1 is right, the band is 10 % to either side; bars are the confidence
# intervals of what was measured, also where bands are asked for: the points are in no order.
set object 1 rectangle from graph 0, first 1 / 1.1 to graph 1, first 1.1 fc rgb "#dddddd" fs solid noborder behind
do for [format in formats] {
    eval begin(format)
    eval frame(height, (series + 1) / 2, longest)
    eval x_axis
    eval speedup_axis
    set ylabel show(y_text("predicted / measured"))
    plot 1 with lines lc rgb "#888888" lw 1 dt 1, \
         for [i = 1:(spread eq "none" ? 0 : series)] data index i-1 using 1:2:3:4 with yerrorbars lt i dt 1 lw 0.7 ps 0.01, \
         for [i = 1:series] data index i-1 using 1:2 with points lt i title show(titles[i])
    unset output
}
