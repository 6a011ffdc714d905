# Ranks against time, rank 0 at the top: which step of its program a rank does. Of few ranks each step, and over it, thin,
# those that were started; of many what takes longest in each interval. A line parts jobs.
centimetres = bars ? (ranks <= 12 ? 0.4 : ranks <= 24 ? 0.28 : 0.2) * ranks : 5.5
# Beside names of jobs the key has one column.
if (jobs > 1) { longest = larger(longest, 99) }
rows = key_rows(entries, longest)
height = fit(2.4 + 0.36 * rows + larger(centimetres, 2))
set rmargin at screen 1 - across(jobs > 1 ? 1.6 : 0.3825)
set xrange [0:end_s*unit]
if (end_s*unit >= 500) { set xtics 0,tick_step(end_s*unit) }
set yrange [ranks-0.5:-0.5]
set ytics 0,row_number(ranks / 8.0),ranks-1
unset grid
set border 3 front
# Computing, waiting, then the steps that move data.
step_colour(i) = i == 0 ? (grey ? 0x909090 : 0xb8b8b8) : i == 1 ? (grey ? 0xf0f0f0 : 0xfde0cd) : \
    grey ? 0x101010 * (1 + (i * 5) % 8) : rgb(word(series_colours, (i - 2) % words(series_colours) + 1))
edge = bars ? "border lc rgb '#ffffff' lw 0.3" : "noborder"
do for [format in formats] {
    eval begin(format)
    eval frame(height, rows, longest)
    set xlabel show(x_text(time_label))
    set ylabel show(y_text(every > 1 ? sprintf("rank, 1 of %d", every) : "rank"))
    do for [j = 1:jobs] {
        if (jobs > 1 && (job_first[j+1]-job_first[j]) * centimetres >= 0.3 * ranks) { set label 30+j show(job_names[j]) at graph 1.01, first 0.5*(job_first[j]+job_first[j+1]-1) left tc rgb "#444444" }
        if (j > 1) { set arrow j from graph 0, first job_first[j]-0.5 to graph 1, first job_first[j]-0.5 nohead front lw 0.8 lc rgb "#000000" }
    }
    plot for [i = 0:series-1] data using ($6 == i ? $2*unit : NaN):1:($2*unit):($3*unit):4:5 with boxxyerror \
             fs solid @edge fc rgb step_colour(i) title seen[i+1] ? show(titles[i+1]) : ""
    unset label
    unset arrow
    unset output
}
