# bash completion for msd. Commands and options are asked from the tool itself, so that they are never stale.
_msd() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    words=$(msd --help 2>/dev/null | sed -nE 's/^  ([a-z]+) +[a-z].*/\1/p')
    mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$current")
    return
  fi
  case $previous in
    --method) mapfile -t COMPREPLY < <(compgen -W "fast exact" -- "$current"); return ;;
    --against) mapfile -t COMPREPLY < <(compgen -W "bullet ode mujoco none" -- "$current"); return ;;
    --scenes)
      words=$(msd bench --list 2>/dev/null | cut -d ' ' -f 1)
      mapfile -t COMPREPLY < <(compgen -W "$words" -f -- "$current")
      return
      ;;
  esac
  if [[ $current == -* ]]; then
    words=$(msd "$command" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*')
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    return
  fi
  compopt -o filenames
  mapfile -t COMPREPLY < <(compgen -f -X '!*.@(json|db|stl|obj|bin)' -- "$current"; compgen -d -- "$current")
}
complete -F _msd msd
