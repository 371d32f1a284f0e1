import { useEffect, useState } from 'preact/hooks';

/** Takes a file that is dropped anywhere on the page. Answers whether one is held over it. */
export function useFileDrop(isActive: boolean, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    if (!isActive) return;
    const enter = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      // Without this the browser would open the file instead of the application.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent): void => {
      if (!hasFile(event)) return;
      event.preventDefault();
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) onFile(file);
    };
    document.addEventListener('dragenter', enter);
    document.addEventListener('dragover', enter);
    document.addEventListener('dragleave', leave);
    document.addEventListener('drop', drop);
    return () => {
      setOver(false);
      document.removeEventListener('dragenter', enter);
      document.removeEventListener('dragover', enter);
      document.removeEventListener('dragleave', leave);
      document.removeEventListener('drop', drop);
    };
  }, [isActive]);
  return isOver;
}

function hasFile({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
