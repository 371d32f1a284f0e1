/** Lets the browser ask before the page is left, while something would be lost. */
const reasons = new Set<string>();

export function askBeforeLeaving(reason: string, wouldLose: boolean): void {
  if (wouldLose) reasons.add(reason);
  else reasons.delete(reason);
  if (reasons.size > 0) addEventListener('beforeunload', ask);
  else removeEventListener('beforeunload', ask);
}

function ask(event: Event): void {
  event.preventDefault();
}
