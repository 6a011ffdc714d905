# Ranks against time, rank 0 at the top. Of few ranks each message: a bar on its receiver's row, a strip
# over it on its sender's; pale, with an orange edge, the time that it loses because it shares links. Of many, how busy they are. Over both the critical path; dashed, the phases.
decade(x) = 10**floor(log10(x))
round_number(x) = decade(x) * (x >= 5 * decade(x) ? 5 : x >= 2 * decade(x) ? 2 : 1)
centimetres = bars ? (ranks <= 12 ? 0.45 : ranks <= 24 ? 0.32 : 0.22) * ranks : 5.5
key_lines = slowed > 0 ? 2 : 1
height = 2.4 + 0.36 * (key_lines - 1) + larger(centimetres, 2)
coloured = bars && colours > 1
eval frame(height, key_lines + 1, 0)
set lmargin at screen 0.165 + (ranks > 999 ? 0.025 * (strlen(sprintf("%d", ranks)) - 3) : 0)
set rmargin at screen coloured || !bars ? 0.79 : 0.955
unset key
set xlabel time_label
set ylabel "rank"
set xrange [0:end_s*unit]
if (end_s*unit >= 500) { set xtics 0,tick_step(end_s*unit) }
set yrange [ranks-0.5:-0.5]
set ytics 0,(ranks <= 20 ? 1 : ranks <= 40 ? 2 : round_number(ranks / 4.0)),ranks-1
unset grid
set border 3 front

if (bars && !coloured) {
    set palette defined (0 "#21918c", 1 "#21918c")
    unset colorbox
}
if (coloured) {
    set palette defined (0 "#440154", 0.12 "#472d7b", 0.25 "#3b528b", 0.37 "#2c728e", 0.5 "#21918c", \
        0.62 "#28ae80", 0.75 "#5ec962", 0.87 "#addc30", 1 "#fde725")
    set cbrange [0:colours-1]
    set cblabel colour_label offset 0.3,0
    if (colours <= 10) { set cbtics 1 }
}
if (!bars) {
    set palette defined (0 "#ffffff", 0.5 "#8fbcd9", 1 "#0b4f7d")
    set cbrange [0:100]
    set cblabel "busy ranks (%)" offset 0.3,0
}

waiting = "#d55e00"
lost_fill = "#fde0cd"
# The key, drawn by hand: gnuplot would take two lines for it.
key_y = 1 - 2.7 * line(height)
set arrow 3 from screen 0.17,key_y to screen 0.21,key_y nohead lw bars ? 1.8 : 1 lc rgb bars ? "#000000" : "#d55e00"
set label 6 "critical path" at screen 0.225,key_y
if (bars) {
    set object 1 rectangle from screen 0.47,key_y-0.3*line(height) to screen 0.51,key_y+0.3*line(height) fs solid noborder fc rgb "#21918c"
    set label 7 "receives" at screen 0.525,key_y
    set arrow 4 from screen 0.7,key_y to screen 0.74,key_y nohead lw 2.5 lc rgb "#21918c"
    set label 8 "sends" at screen 0.755,key_y
}

if (slowed > 0) {
    second_y = key_y - 1.1 * line(height)
    if (bars) { set object 2 rectangle from screen 0.17,second_y-0.3*line(height) to screen 0.21,second_y+0.3*line(height) fs solid border lc rgb waiting fc rgb lost_fill }
    set label 9 sprintf("time lost to shared links: %.0f %%", lost*100) at screen (bars ? 0.225 : 0.17),second_y
}

# Names over phases that have room for them.
do for [i = 1:2] {
    moment = (i == 1 ? filled_s : draining_s) * unit
    set arrow i from moment,graph 0 to moment,graph 1 nohead front dt (5,4) lw 0.9 lc rgb "#666666"
}
has_room(a, b) = (b - a) / end_s > 0.14
if (has_room(0, filled_s)) { set label 3 "fill" at 0.5*filled_s*unit,graph 1 center front offset 0,0.7 tc rgb "#444444" }
if (has_room(filled_s, draining_s)) { set label 4 middle at 0.5*(filled_s+draining_s)*unit,graph 1 center front offset 0,0.7 tc rgb "#444444" }
if (has_room(draining_s, end_s)) { set label 5 "drain" at 0.5*(draining_s+end_s)*unit,graph 1 center front offset 0,0.7 tc rgb "#444444" }

do for [format in formats] {
    eval "set terminal ".terminal(format)
    set output name.".".format
    if (bars) {
        plot data index 0 using ($3*unit):2:($3*unit):($9*unit):($2-0.16+0.58*$8/ports):($2-0.16+0.58*($8+1)/ports):5 with boxxyerror fs solid border lc rgb "#ffffff" fc palette z, \
             data index 0 using ($3*unit):1:(($3+0.03*($9-$3))*unit):(($9-0.03*($9-$3))*unit):($1-0.4+0.14*$8/ports):($1-0.4+0.14*($8+1)/ports):5 with boxxyerror fs solid noborder fc palette z, \
             data index 0 using ($9 < $4 ? $9*unit : NaN):2:($9*unit):($4*unit):($2-0.16+0.58*$8/ports):($2-0.16+0.58*($8+1)/ports) with boxxyerror fs solid border lc rgb waiting dt 1 lw 0.5 fc rgb lost_fill, \
             data index 0 using ($9 < $4 ? $9*unit : NaN):1:($9*unit):(($4-0.03*($4-$3))*unit):($1-0.4+0.14*$8/ports):($1-0.4+0.14*($8+1)/ports) with boxxyerror fs solid border lc rgb waiting dt 1 lw 0.5 fc rgb lost_fill, \
             data index 1 using ($1*unit):2 with lines lc rgb "#ffffff" lw 3.6 dt 1, \
             data index 1 using ($1*unit):2 with lines lc rgb "#000000" lw 1.8 dt 1
    } else {
        plot data index 0 using ($2*unit):1:(0.54*cell_s*unit):(0.54*cell_ranks):($3*100) with boxxyerror fs solid noborder fc palette z, \
             data index 1 using ($1*unit):2 with lines lc rgb "#d55e00" lw 1 dt 1
    }
    unset output
}
