
# Ranks against time, senders above, receivers below: a bar per message, or piece of a cut one; in the bars
# sender and receiver, or the rank at the other end.
row(ranks) = ranks <= 12 ? 0.36 : ranks <= 24 ? 0.3 : 0.24
tall = row(larger(senders, receivers))
above = 3 * 0.36 + (bound < end ? 0.4 : 0.15)
between = bound < end ? 0.6 : 0.35
below = 1.05
height = above + between + below + tall * (senders + receivers)
whole = 0xbcd7ea
piece = 0xe69f00
set lmargin at screen 0.14
set rmargin at screen 0.975
set xrange [0:end]
set xtics autofreq
unset grid
set border 3 front
set style fill solid border lc rgb "#ffffff"

rows(ranks) = sprintf("set yrange [%g:-0.5]; set ytics 0,%d,%d", ranks - 0.5, ranks <= 24 ? 1 : 5, ranks - 1)
key_y = 1 - 2.7 * line(height)
half = 0.3 * line(height)

do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    set multiplot
    do for [panel = 1:2] {
        eval frame(height, 0, 0)
        unset key
        # The key, drawn by hand: of both panels.
        set object 1 rectangle from screen 0.14,key_y-half to screen 0.18,key_y+half fs solid noborder fc rgb whole
        set label 6 "message" at screen 0.195,key_y
        if (any_cut) {
            set object 2 rectangle from screen 0.36,key_y-half to screen 0.4,key_y+half fs solid noborder fc rgb piece
            set label 7 "piece of one" at screen 0.415,key_y
        }
        if (other_end) { set label 8 "number: other end" at screen 0.975,key_y right tc rgb "#444444" }
        if (panel == 2) {
            unset label
            unset object
        }
        if (bound < end) {
            set arrow 1 from bound,graph 0 to bound,graph 1 nohead front dt (5,4) lw 0.9 lc rgb "#444444"
            set label 9 "T_opt" at bound,graph 1 center front offset 0,0.45 tc rgb "#444444"
        }
        eval rows(panel == 1 ? senders : receivers)
        set tmargin at screen 1 - (panel == 1 ? above : height - below - tall * receivers) / height
        set bmargin at screen (panel == 1 ? below + tall * receivers + between : below) / height
        set ylabel (panel == 1 ? "sender" : "receiver") offset 1.5,0
        set xlabel panel == 1 ? "" : "time (units)"
        set xtics format (panel == 1 ? "" : "%g")
        plot data using (0.5*($3+$4)):panel:3:4:(column(panel)-0.42):(column(panel)+0.42):($5 == 1 ? piece : whole) with boxxyerror lc rgb variable, \
             data using (0.5*($3+$4)):panel:5+panel with labels font "Sans,6"
    }
    unset multiplot
    unset output
}
