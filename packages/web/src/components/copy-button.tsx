import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './button.tsx';
import { useFeedback } from './feedback.tsx';

/** `text` may be made when it is asked for: where it is long. */
export function CopyButton({ text, label = 'Copy' }: { text: string | (() => string); label?: string }) {
  const [copied, setCopied] = useState(false);
  const { announce, toast } = useFeedback();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
      setCopied(true);
      announce('Copied');
      setTimeout(() => setCopied(false), 1500);
    } catch {
      toast({ tone: 'bad', text: 'The browser does not let this page copy. Select the text and copy it by hand.' });
    }
  };
  return (
    <IconButton
      label={label}
      onClick={copy}
      icon={copied ? <Check aria-hidden className="size-3.5 text-ok" /> : <Copy aria-hidden className="size-3.5" />}
    />
  );
}
