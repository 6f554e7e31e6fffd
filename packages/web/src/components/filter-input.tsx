import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Input } from './field.tsx';

const SETTLE_MILLISECONDS = 120;

/** Filter as you type: the text is local at once and reaches `onChange` (the URL) when the typing pauses. `/` comes here. */
export function FilterInput(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}) {
  const { label, value, onChange, className } = props;
  const [text, setText] = useState(value);
  const [given, setGiven] = useState(value);
  const [sent, setSent] = useState(value);
  if (given !== value) {
    setGiven(value);
    // Our own text comes back while more is being typed; only another's (back, a link) replaces it.
    if (value !== sent) setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => {
      setSent(text);
      onChange(text);
    }, SETTLE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <div className={className ?? 'relative w-64 max-wide:w-auto max-wide:flex-1'}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-faint"
      />
      <Input
        type="search"
        data-filter
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (text === '') event.currentTarget.blur();
          else setText('');
        }}
        className="pl-8!"
      />
    </div>
  );
}
