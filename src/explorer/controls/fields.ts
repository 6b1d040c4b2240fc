import { html } from 'htm/preact';
import type { ComponentChildren, TargetedEvent, VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Day, parseDay } from '../../domain/values/date.ts';
import type { PageContext } from '../page-service.ts';
import type { StateChange } from '../state.ts';

export type InputEvent = TargetedEvent<HTMLInputElement>;

/** Shows a field with its label. */
export function Field({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return html`<label class="field"><span>${label}</span>${children}</label>`;
}

type DayFieldProps = {
  readonly label: string;
  readonly day: Day | undefined;
  /** The part of the state that gets a day; a cleared field removes it. */
  readonly name: keyof StateChange;
  readonly context: PageContext;
  readonly required?: boolean;
};

/** Shows a field for a day as `YYYY-MM-DD`, with the picker of the browser; marks a text that is no day. */
export function DayField({ label, day = '', name, context, required = false }: DayFieldProps): VNode {
  const picker = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  const [fault, setFault] = useState('');
  const type = ({ currentTarget: { value } }: InputEvent) => setTyped(value);
  const take = ({ currentTarget: { value } }: InputEvent) => {
    const text = value.trim();
    const isDay = text === '' ? !required : parseDay(text) !== undefined;
    setFault(isDay ? '' : 'Dates are YYYY-MM-DD.');
    if (!isDay) return;
    setTyped(undefined);
    if (text !== day) context.go({ [name]: text }, 'soon');
  };
  const restore = () => {
    setTyped(undefined);
    setFault('');
  };
  const pick = () => {
    // Some browsers open no picker by themselves.
    if (picker.current !== null) picker.current.value = day;
    picker.current?.showPicker?.();
  };
  return html`
    <span class="day">
      <${Field} label=${label}>
        <input type="text" class="date" inputmode="numeric" autocomplete="off" spellcheck=${false} maxlength="10" size="10"
          placeholder="YYYY-MM-DD" required=${required} value=${typed ?? day} aria-invalid=${fault !== '' ? 'true' : undefined}
          onInput=${type} onChange=${take} onBlur=${restore} />
      <//>
      <button type="button" class="pick" aria-label="Choose a day: ${label}" onClick=${pick}>
        <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true"><path d="M2 4.5h12v9H2zM2 7h12M5 2v3M11 2v3" /></svg>
      </button>
      <input type="date" class="picker" tabindex="-1" aria-hidden="true" min="1600-01-01" max="2999-12-31" ref=${picker}
        onChange=${take} />
      <span role="status" class="fault">${fault}</span>
    </span>`;
}

type OfferProps = {
  readonly context: PageContext;
  readonly change: StateChange;
  readonly children: ComponentChildren;
};

/** Shows a button in a sentence, which leads to another state of the page. */
export function Offer({ context, change, children }: OfferProps): VNode {
  return html`<button type="button" class="link" onClick=${() => context.go(change)}>${children}</button>`;
}

type ChoiceProps = {
  readonly label: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly value: string | undefined;
  readonly onChoose: (value: string) => void;
};

/** Shows choices side by side, of which one is pressed. */
export function Choice({ label, options, value, onChoose }: ChoiceProps): VNode {
  return html`
    <div class="choice" role="group" aria-label=${label}>
      ${options.map(
        ([name, text]) => html`
          <button type="button" aria-pressed=${name === value ? 'true' : 'false'} onClick=${() => onChoose(name)}>${text}</button>`,
      )}
    </div>`;
}
