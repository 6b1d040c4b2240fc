import pg from 'pg';
const url = process.argv[2];
const c = new pg.Client({ connectionString: url + '/postgres' }); await c.connect();
const med = (a) => { a.sort((x,y)=>x-y); return [a[a.length>>1].toFixed(2), a[Math.floor(a.length*0.99)].toFixed(2)].join('/'); };
const on = (s) => `select date, as_of_date, value from (select distinct on (date) date, as_of_date, value from ${s}.fact where series = $1 and as_of_date <= $2 order by date desc, as_of_date desc) x where value is not null limit 101`;
const lat = (s) => `with recursive day (date) as (
 (select date from ${s}.fact where series=$1 order by date desc limit 1)
 union all select (select f.date from ${s}.fact f where f.series=$1 and f.date < day.date order by f.date desc limit 1) from day where day.date is not null
) select day.date, f.as_of_date, f.value from day cross join lateral (select as_of_date, value from ${s}.fact where series=$1 and date=day.date and as_of_date <= $2 order by as_of_date desc limit 1) f where f.value is not null limit 101`;
for (const [name, f] of [['distinct', on], ['lateral', lat]]) for (const s of process.argv.slice(3)) for (const id of ['SERIES00003','REVISED00001']) {
  const t = [];
  for (let i = 0; i < 400; i++) {
    const asOf = new Date(Date.UTC(2010, i % (id[0]==='S'?12:60), 15)).toISOString().slice(0,10);
    const b = performance.now(); const r = await c.query(f(s), [id, asOf]); if (i > 50) t.push(performance.now() - b);
    if (r.rows.length !== 101) console.log('rows', r.rows.length);
  }
  console.log(name, s, id, med(t));
}
await c.end();
