# Above, the links by levels against time: dark is full. Below, the fullest link of each level in each round
# of the plan: where its load is more than 1, messages slow each other.
tall = larger(levels * 0.95, 2.6)
flat = larger(levels * 0.36, 1.3)
above = (head + 1.6) * 0.045 * letter
between = 0.15 * letter
below = 0.13125 * letter
height = fit(above + tall + between + flat + below)
# What a wanted height leaves to the panels.
stretch = (height - above - between - below) / (tall + flat)
tall = tall * stretch
flat = flat * stretch
# Of a small height: the names of the levels below each other, in smaller letters, without numbers of links.
if (asked_height > 0 && flat < 0.035 * letter * levels) {
    flat = 0.5 * (tall + flat)
    tall = flat
}
row_cm = (tall < flat ? tall : flat) / levels
names_size = row_cm >= 0.04 * letter ? 1 : larger(0.6, row_cm / (0.04 * letter))
counted = tall >= 0.075 * letter * levels
unset key
unset grid
unset ylabel
set border 3 front
widest = 10 # letters
do for [i = 1:levels] { widest = larger(widest, larger(strlen(level_names[i]), strlen(sprintf("%d links", level_links[i])))) }
set lmargin at screen across(1.9125 + 0.17 * (widest - 10))
set rmargin at screen 1 - across(1.785)
set yrange [levels:0]
set ytics scale 0
# Cells overlap a little, because some viewers show seams otherwise.
seamless(low, high) = high + (high - low > 0.04 ? 0.012 : 0.3 * (high - low))
light_colour = grey ? "#cccccc" : "#8fbcd9"
note = row_links == 1 ? "A row is a link." : sprintf("A row is up to %d links: the fullest is shown.", row_links)

do for [format in formats] {
    eval begin(format)
    set multiplot
    do for [panel = 1:2] {
        eval frame(height, 0, 0)
        set label 3 show(note) at screen 0.02,1-(head+0.7)*line(height) left tc rgb "#444444"
        if (panel == 2) { unset label }
        set tmargin at screen 1 - (panel == 1 ? above : above + tall + between) / height
        set bmargin at screen (panel == 1 ? below + flat + between : below) / height
        unset ytics
        eval "set ytics scale 0".(latex || names_size == 1 ? "" : sprintf(" font '%s'", sans("", names_size)))." ()"
        do for [i = 1:levels] {
            set ytics add (tick(level_names[i]).(panel == 1 && counted ? sprintf("\n%d link%s", level_links[i], level_links[i] == 1 ? "" : "s") : "") i-0.5)
            if (i > 1) { set arrow i from graph 0,first i-1 to graph 1,first i-1 nohead back lw 0.5 lc rgb "#bbbbbb" }
        }
        if (panel == 1) {
            eval full_palette
            set cbrange [0:100]
            set cbtics autofreq
            set cblabel show("load (%)") offset beside,0
            set xlabel show(x_text(time_label))
            set xrange [0:end_s*unit]
            set xtics autofreq
            if (end_s*unit >= 500) { set xtics 0,tick_step(end_s*unit) }
            plot data index 0 using ($1*unit):3:($1*unit):(($2+0.3*($2-$1))*unit):3:(seamless($3,$4)):($5*100) with boxxyerror fs solid noborder fc palette z
        } else {
            # Up to 1 blue, beyond it orange: these rounds contend.
            if (most_load > 1.001) {
                if (grey) { set palette defined (0 "#ffffff", 1 "#cccccc", 1 "#999999", most_load "#000000") }
                if (!grey) { set palette defined (0 "#ffffff", 1 "#8fbcd9", 1 "#fdd0a2", 1+0.4*(most_load-1) "#e6842a", most_load "#7f2704") }
                set cbrange [0:most_load]
                set cbtics (1)
                set cbtics add (most_load < 2 ? sprintf("%.2g", most_load) : sprintf("%d", floor(most_load)) most_load < 2 ? most_load : floor(most_load))
                if (most_load >= 6) { set cbtics add (floor(most_load/2)) }
            } else {
                set palette defined (0 "#ffffff", 1 light_colour)
                set cbrange [0:1]
                set cbtics (0, 1)
            }
            set cblabel show("× capacity") offset beside,0
            set xlabel show("round of the plan")
            set xrange [-0.5:rounds-0.5]
            set xtics autofreq
            if (rounds <= 8) { set xtics 0,1 }
            if (rounds >= 1000) { set xtics 0,tick_step(rounds) }
            plot data index 1 using 1:3:($1-0.5):($2+0.5):($3+0.06):($3+0.94):4 with boxxyerror fs solid noborder fc palette z
        }
    }
    unset multiplot
    unset output
}
