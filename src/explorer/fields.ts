import { html } from 'htm/preact';
import type { ComponentChildren, TargetedEvent, VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { Day } from '../domain/values/date.ts';
import { positionOf } from './history.ts';
import type { PageState } from './state.ts';

type InputEvent = TargetedEvent<HTMLInputElement>;

/** Shows a field with its label. */
export function Field({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return html`<label class="field"><span>${label}</span>${children}</label>`;
}

type DayFieldProps = {
  readonly label: string;
  readonly day: Day | undefined;
  readonly required?: boolean;
  /** Called with a day, or an empty text for a cleared field. */
  readonly onDay: (day: Day | '') => void;
};

/** Shows a field for a day; ignores days such as the year 2, which browsers report during typing. */
export function DayField({ label, day = '', required = false, onDay }: DayFieldProps): VNode {
  const take = ({ currentTarget: { validity, value } }: InputEvent) => validity.valid && onDay(value);
  const restore = ({ currentTarget: field }: InputEvent) => {
    if (!field.validity.valid) field.value = day;
  };
  return html`
    <${Field} label=${label}>
      <input type="date" min="1600-01-01" max="2999-12-31" required=${required} value=${day}
        onChange=${take} onBlur=${restore} />
    <//>`;
}

type DaySliderProps = {
  readonly label: string;
  /** Ascending. */
  readonly days: readonly Day[];
  readonly day: Day;
  readonly about: string;
  readonly onMove: (day: Day) => void;
  /** Called when the slider rests, or another day is typed. */
  readonly onSettle: (day: Day) => void;
};

/** Returns the day of a slider, which moves before the address, and its setter; `settled` is the address' day. */
export function useMoved(state: PageState, settled: Day): readonly [day: Day, move: (day: Day) => void] {
  const [moved, setMoved] = useState({ state, day: settled });
  return [moved.state === state ? moved.day : settled, (day) => setMoved({ state, day })];
}

/** Shows a slider over days, with a field for any day, and a button for each direction. */
export function DaySlider({ label, days, day, about, onMove, onSettle }: DaySliderProps): VNode {
  const position = Math.max(0, positionOf(days, day));
  const chosen = ({ currentTarget }: InputEvent) => days[Number(currentTarget.value)] ?? '';
  const stepBy = (by: number) => () => {
    const next = days[position + by] ?? days[position] ?? '';
    onMove(next);
    onSettle(next);
  };
  return html`
    <div class="slider">
      <${DayField} label=${label} day=${day} required onDay=${onSettle} />
      <div class="track">
        <button type="button" class="step" aria-label="${label}: one step back" onClick=${stepBy(-1)}>‹</button>
        <input type="range" min="0" max=${Math.max(0, days.length - 1)} step="1" value=${String(position)}
          aria-label=${label} aria-valuetext=${about}
          onInput=${(event: InputEvent) => onMove(chosen(event))}
          onChange=${(event: InputEvent) => onSettle(chosen(event))} />
        <button type="button" class="step" aria-label="${label}: one step forward" onClick=${stepBy(1)}>›</button>
      </div>
      <output class="about">${about}</output>
    </div>`;
}
