# bash completion for msd. Commands and options are asked from the tool itself, so that they are never stale.

# _msd_words SECTION COMMAND...: the names in a section of `msd COMMAND... --help`.
_msd_words() {
  local section=$1
  shift
  msd "$@" --help 2>/dev/null | awk -v section="$section:" '
    /^[A-Z]/ { inside = ($0 == section) }
    inside && /^  [a-z]/ { print $1 }
    inside && /^  -/ { gsub(/,/, " "); for (i = 1; i <= NF && $i ~ /^-/; ++i) if ($i ~ /^--/) print $i }'
}

_msd() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words i
  local -a command=()
  COMPREPLY=()
  # The command, and the command of a command (msd validate tosses).
  for ((i = 1; i < COMP_CWORD && i <= 2; ++i)); do
    words=$(_msd_words Commands "${command[@]}")
    if ! grep -qxF -- "${COMP_WORDS[i]}" <<<"$words"; then break; fi
    command+=("${COMP_WORDS[i]}")
  done
  case $previous in
    --method) mapfile -t COMPREPLY < <(compgen -W "fast exact" -- "$current"); return ;;
    --theme) mapfile -t COMPREPLY < <(compgen -W "light dark" -- "$current"); return ;;
    --on-record-error) mapfile -t COMPREPLY < <(compgen -W "continue stop" -- "$current"); return ;;
    --against) mapfile -t COMPREPLY < <(compgen -W "bullet ode mujoco none" -- "$current"); return ;;
    --scenes)
      words=$(msd bench --list 2>/dev/null | cut -d ' ' -f 1)
      mapfile -t COMPREPLY < <(compgen -W "$words" -f -- "$current")
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    words=$(_msd_words Options "${command[@]}")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  if [[ $COMP_CWORD -eq $((${#command[@]} + 1)) ]]; then
    words=$(_msd_words Commands "${command[@]}")
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    if [[ $COMP_CWORD -eq 1 ]]; then return; fi
  fi
  compopt -o filenames 2>/dev/null
  local file
  while IFS= read -r file; do
    case $file in
      *.json | *.db | *.stl | *.obj | *.gltf | *.glb | *.bin | *.dat) COMPREPLY+=("$file") ;;
      *) if [[ -d $file ]]; then COMPREPLY+=("$file"); fi ;;
    esac
  done < <(compgen -f -- "$current")
}
complete -F _msd msd
