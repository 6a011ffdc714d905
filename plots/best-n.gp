
# Best n against p: points joined per m; the closed form as a dotted line of the same colour.
do for [format in formats] {
    eval begin(format)
    eval frame(height, (series + 1 + closed_form) / 2, longest)
    eval x_axis
    eval y_axis
    plot for [i = 1:series*closed_form] data index i-1 using 2:5 with lines lt i dt (1,2) lw 1.2, \
         for [i = 1:series] data index i-1 using 2:3 with linespoints lt i dt 1 lw 0.7 title show(titles[i]), \
         for [i = 1:closed_form] NaN with lines lc rgb "#000000" dt (1,2) lw 1.2 title "closed form"
    unset output
}
