import { type DescriptionChange, type Followed, type FollowedRow, followedOf } from '../followed.ts';
import type { Connection } from './connection.ts';

/** What a store follows, by source and name. */
export function readFollowed(connection: Connection): readonly Followed[] {
  return connection
    .objects<FollowedRow>(
      `select source, name, since, bookmark, up_to as upTo, last_run as lastRun, left_undone as left
       from followed order by source, name`,
    )
    .all()
    .map(followedOf);
}

/** Writes what a store follows, replacing an earlier record of the same name. */
export function writeFollowed(connection: Connection, { upTo, lastRun, ...record }: Followed): void {
  connection.run(
    `insert into followed (source, name, since, bookmark, up_to, last_run, left_undone)
     values (@source, @name, @since, @bookmark, @upTo, @lastRun, @left)
     on conflict (source, name) do update
       set bookmark = excluded.bookmark, up_to = excluded.up_to, last_run = excluded.last_run,
         left_undone = excluded.left_undone`,
    { ...record, upTo: upTo ?? null, lastRun: lastRun ?? null },
  );
}

/** Removes a record; false if there is none. */
export function removeFollowed(connection: Connection, source: string, name: string): boolean {
  return connection.run('delete from followed where source = ? and name = ?', source, name).changes > 0;
}

/** The changes of a series' description, oldest first. */
export function readDescriptionChanges(
  connection: Connection,
  seriesId: string,
): readonly DescriptionChange[] {
  return connection
    .objects<DescriptionChange>(
      `select id as seriesId, changed_on as changedOn, field, before, after
       from description_change join series on series.key = description_change.series
       where id = ? order by changed_on, field`,
    )
    .all(seriesId);
}

/** Writes a change of a description; if there are several on one day, keeps the text before the first. */
export function writeDescriptionChange(connection: Connection, change: DescriptionChange): void {
  connection.run(
    `insert into description_change (series, changed_on, field, before, after)
     values ((select key from series where id = @seriesId), @changedOn, @field, @before, @after)
     on conflict do update set after = excluded.after`,
    change,
  );
}
