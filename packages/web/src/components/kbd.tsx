export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="rounded-small border border-line bg-panel px-1 text-[11px]! leading-[16px]! text-faint">
      {children}
    </kbd>
  );
}
