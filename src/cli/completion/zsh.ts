import type { Shell } from './shell.ts';

// zsh quotes what it inserts; the script tells it to ignore letter case, as asof does.
const script = `#compdef asof
# completion of asof in zsh: source <(asof completion zsh), or this text as the file _asof in a folder of $fpath
_asof() {
  local -a answer choices before
  local line value lead
  (( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
  answer=("\${(@f)$(asof completion zsh -- "\${before[@]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}")
  lead=\${answer[1]#*$'\\t'}
  [[ -z $lead ]] || compset -P "\${(b)lead}"
  case \${answer[1]%%$'\\t'*} in
    words)
      for line in "\${(@)answer[2,-1]}"; do
        value=\${line%%$'\\t'*}
        value=\${value//\\\\/\\\\\\\\}
        choices+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
      done
      _describe -V asof choices -M 'm:{[:lower:][:upper:]}={[:upper:][:lower:]}'
      ;;
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ \${funcstack[1]} == _asof ]]; then
  _asof "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _asof asof
fi
`;

/** Completion in zsh. */
export const zsh: Shell = {
  script,
  request: (sent) => ({ words: sent.slice(0, -1), current: sent.at(-1) ?? '' }),
  answer(choices, lead) {
    const words = choices.kind === 'words' ? choices.words : [];
    return [`${choices.kind}\t${lead}`, ...words.map(({ value, about = '' }) => `${value}\t${about}`)];
  },
};
