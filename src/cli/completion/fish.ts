import type { Shell } from './shell.ts';
import { zsh } from './zsh.ts';

// fish ignores letter case and quotes what it inserts.
const script = `# completion of asof in fish: asof completion fish > ~/.config/fish/completions/asof.fish
function __asof_choices
    # The second is for fish before 4, which knows only that.
    set -l before (commandline -xpc 2>/dev/null; or commandline -opc)
    set -l current (commandline -ct)
    # A quote that is still open.
    for quote in '' '"' "'"
        set -l text (string unescape -- "$current$quote")
        and set current "$text"
        and break
    end
    set -l answer (asof completion fish -- $before[2..-1] "$current" 2>/dev/null </dev/null)
    set -l first (string split -m 1 \\t -- "$answer[1]")
    set -l rest (string sub -s (math (string length -- "$first[2]") + 1) -- "$current")
    switch "$first[1]"
        case words
            for line in $answer[2..-1]
                printf '%s%s\\n' "$first[2]" "$line"
            end
        case files
            for path in (__fish_complete_path "$rest")
                printf '%s%s\\n' "$first[2]" "$path"
            end
        case folders
            for path in (__fish_complete_directories "$rest")
                printf '%s%s\\n' "$first[2]" "$path"
            end
    end
end
complete -c asof -e
complete -c asof -f -k -a '(__asof_choices)'
`;

/** Completion in fish. */
export const fish: Shell = { ...zsh, script };
