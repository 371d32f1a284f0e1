/** The style that only parts need that are loaded later. */
let loading: Promise<void> | null = null;

/** Rejects if it cannot be loaded now; the next call tries again. */
export function loadLaterStyle(): Promise<void> {
  return (loading ??= addStyle().catch((error: unknown) => {
    loading = null;
    throw error;
  }));
}

function addStyle(): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = document.querySelector<HTMLMetaElement>('meta[name="later-style"]')?.content ?? '';
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error('the style could not be loaded'));
    };
    document.head.append(link);
  });
}
