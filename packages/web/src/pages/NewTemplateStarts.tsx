import type { TemplateSummary } from '@berth/core/routes/template-routes';
import type { Team } from '@berth/core/tenant';
import { FilePlus2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../modules/paths.ts';
import { TemplateIcon } from '../modules/template-icon.tsx';

/** A blank one, or a copy of any there is. */
export function NewTemplateStarts({ team, templates }: { team: Team; templates: readonly TemplateSummary[] }) {
  return (
    <>
      <p className="mb-4 max-w-[64ch] text-muted text-pretty">
        A template is a YAML text: what people are asked, and what is run. Begin with a small one that works, or with a
        copy.
      </p>
      <ul className="grid gap-3.5 phone:grid-cols-2 huge:grid-cols-3">
        <Start
          to={paths.newTemplate(team.id, 'blank')}
          icon={<FilePlus2 aria-hidden className="size-5 text-accent" />}
          title="Blank"
        >
          One service with a form of one question.
        </Start>
        {templates.map(({ name, displayName, icon, description }) => (
          <Start
            key={name}
            to={paths.newTemplate(team.id, name)}
            icon={<TemplateIcon name={displayName} icon={icon} />}
            title={`Copy of ${displayName}`}
          >
            {description}
          </Start>
        ))}
      </ul>
    </>
  );
}

function Start(props: { to: string; icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <li className="relative flex gap-3 rounded-panel border border-line bg-panel p-3.5 transition-colors duration-100 hover:border-line-strong">
      <span className="grid w-8 shrink-0 place-items-center">{props.icon}</span>
      <div className="min-w-0">
        <Link
          to={props.to}
          className="font-semibold after:absolute after:inset-0 after:rounded-panel focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
        >
          {props.title}
        </Link>
        <p className="text-muted text-pretty">{props.children}</p>
      </div>
    </li>
  );
}
