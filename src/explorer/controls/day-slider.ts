import { html } from 'htm/preact';
import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { Day } from '../../domain/values/date.ts';
import { positionOf } from '../history.ts';
import type { PageContext } from '../page-service.ts';
import type { PageState, StateChange } from '../state.ts';
import { DayField, type InputEvent } from './fields.ts';

/** A step of a slider that deserves a mark, and why. */
type SliderMark = { readonly day: Day; readonly about: string };

type DaySliderProps = {
  readonly label: string;
  /** The part of the state that gets a day when the slider rests, or another day is typed. */
  readonly name: keyof StateChange;
  readonly context: PageContext;
  /** Ascending. */
  readonly days: readonly Day[];
  readonly day: Day;
  readonly about: string;
  readonly marks?: readonly SliderMark[];
  readonly move: (day: Day) => void;
};

/** Returns the day of a slider, which moves before the address, and its setter; `settled` is the address' day. */
export function useMoved(state: PageState, settled: Day): readonly [day: Day, move: (day: Day) => void] {
  const [moved, setMoved] = useState({ state, day: settled });
  return [moved.state === state ? moved.day : settled, (day) => setMoved({ state, day })];
}

/** Shows a slider over days, with a field for any day, a button for each direction, years, and marks. */
export function DaySlider(props: DaySliderProps): VNode {
  const { label, name, context, days, day, about, marks = [], move } = props;
  const position = Math.max(0, positionOf(days, day));
  const chosen = ({ currentTarget }: InputEvent) => days[Number(currentTarget.value)] ?? '';
  const settle = (chosen: Day) => context.go({ [name]: chosen }, 'soon');
  const goTo = (next: Day) => {
    move(next);
    settle(next);
  };
  const stepBy = (by: number) => () => goTo(days[position + by] ?? days[position] ?? '');
  const placeOf = (step: number) => {
    const share = step / Math.max(1, days.length - 1);
    // The thumb of a slider is 16 pixels wide, and stays within its track.
    return { left: `calc(8px + ${share} * (100% - 16px))` };
  };
  const years = useMemo(() => yearsOf(days), [days]);
  const scale = useMemo(
    () => html`
      <div class="scale" aria-hidden="true">
        ${years.map(({ year, step }) => html`<span style=${placeOf(step)}>${year}</span>`)}
      </div>`,
    [years],
  );
  const marked = useMemo(
    () =>
      marks.length > 0 &&
      html`
        <div class="marks" role="group" aria-label="The largest revisions">
          ${marks.map(
            (mark) => html`
              <button type="button" title="${mark.day}: ${mark.about}" aria-label="${mark.day}: ${mark.about}"
                style=${placeOf(positionOf(days, mark.day))} onClick=${() => settle(mark.day)} />`,
          )}
        </div>`,
    [marks, days],
  );
  return html`
    <div class="slider">
      <${DayField} ...${{ label, name, context, day }} required />
      <div class="track">
        <button type="button" class="step" aria-label="${label}: one step back" onClick=${stepBy(-1)}>‹</button>
        <div class="rail">
          <input type="range" min="0" max=${Math.max(0, days.length - 1)} step="1" value=${String(position)}
            aria-label=${label} aria-valuetext=${about}
            onInput=${(event: InputEvent) => move(chosen(event))}
            onChange=${(event: InputEvent) => settle(chosen(event))} />
          ${scale}${marked}
        </div>
        <button type="button" class="step" aria-label="${label}: one step forward" onClick=${stepBy(1)}>›</button>
      </div>
      <output class="about">${about}</output>
    </div>`;
}

const mostYears = 8;

/** Returns years with the first step of each, at even distances and not too close. */
function yearsOf(days: readonly Day[]): readonly { readonly year: string; readonly step: number }[] {
  const firsts = days.flatMap((day, step) => {
    const year = day.slice(0, 4);
    return days[step - 1]?.slice(0, 4) === year ? [] : [{ year, step }];
  });
  const every = [1, 2, 5, 10, 20, 25, 50].find((count) => firsts.length / count <= mostYears) ?? 100;
  const round = firsts.filter(({ year }) => Number(year) % every === 0);
  let last = Number.NEGATIVE_INFINITY;
  return (round.length < 2 ? firsts.slice(0, mostYears) : round).filter(({ step }) => {
    if (step - last < days.length / 14) return false;
    last = step;
    return true;
  });
}
