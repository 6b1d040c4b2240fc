import { bashLine, bashText } from './bash-line.ts';
import type { Shell } from './shell.ts';

// Bash splits words at `:` and `=` too and replaces only what comes after them, so the script sends the whole line and the
// piece that bash will replace. The bash of macOS has no `compopt`.
const script = `# completion of asof in bash: source <(asof completion bash)
_asof() {
  local answer kind line
  COMPREPLY=()
  answer=$(asof completion bash -- "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null </dev/null)
  {
    IFS= read -r kind
    while IFS= read -r line; do
      [[ -z $line ]] || COMPREPLY+=("$line")
    done
  } <<< "$answer"
  case $kind in
    words) compopt +o default -o nosort 2>/dev/null || compopt +o default 2>/dev/null || : ;;
    folders) compopt +o default -o dirnames 2>/dev/null || : ;;
  esac
  return 0
}
complete -o default -F _asof asof
`;

/** Completion in bash, with or without its package of completions. */
export const bash: Shell = {
  script,
  request([line = '']) {
    const { words, current, redirected } = bashLine(line);
    return redirected ? undefined : { words, current };
  },
  answer(choices, lead, [line = '', replaced = '']) {
    const { raw, quote } = bashLine(line);
    if (choices.kind !== 'words') return [choices.kind];
    if (!raw.endsWith(replaced)) return ['words'];
    const kept = bashLine(raw.slice(0, raw.length - replaced.length)).current.length;
    return ['words', ...choices.words.map(({ value }) => bashText((lead + value).slice(kept), quote))];
  },
};
