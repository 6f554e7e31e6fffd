import type { Template } from '@berth/core/template';
import { Globe, HardDrive } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { useForm } from 'react-hook-form';
import { Panel, Tag } from '../components/panel.tsx';
import { type DeployForm, type DeployFormRules, deployFormResolver } from './deploy-form.ts';
import { Advanced, ParameterFields } from './parameter-fields.tsx';
import { rawFromValues } from './parameter-values.ts';
import { TemplateIcon } from './template-icon.tsx';

/** What people will see of a template, and what it will make, while it is written. */
export function TemplatePreview({ template }: { template: Template | undefined }) {
  if (!template) {
    return (
      <Panel title="Preview">
        <p className="px-3.5 py-3 text-muted">The form and what is made show here once the text is right.</p>
      </Panel>
    );
  }
  const { parameters = [] } = template.spec;
  return (
    <div className="flex flex-col gap-4">
      <Panel title="The form">
        <div className="flex flex-col gap-4 p-3.5">
          <div className="flex items-center gap-3 text-muted">
            <TemplateIcon name={template.spec.displayName} icon={template.spec.icon} />
            <p className="min-w-0 text-pretty">
              <span className="block font-semibold text-text">{template.spec.displayName}</span>
              {template.spec.description}
            </p>
          </div>
          {parameters.length === 0 && <p className="text-muted">It asks for nothing but a name.</p>}
          {/* Another list of questions is another form. */}
          <PreviewForm key={JSON.stringify(parameters)} template={template} />
        </div>
      </Panel>
      <WhatIsMade template={template} />
    </div>
  );
}

function PreviewForm({ template }: { template: Template }) {
  const parameters = useMemo(() => template.spec.parameters ?? [], [template]);
  const rules = useRef<DeployFormRules>({ parameters, domain: 'localhost', takenNames: new Set(), editing: true });
  const form = useForm<DeployForm>({
    resolver: useMemo(() => deployFormResolver(() => rules.current), []),
    mode: 'onTouched',
    defaultValues: { name: '', displayName: '', host: '', values: rawFromValues(parameters) },
  });
  const advanced = parameters.filter((each) => each.advanced);
  return (
    <>
      <ParameterFields parameters={parameters.filter((each) => !each.advanced)} form={form} />
      {advanced.length > 0 && (
        <Advanced wrong={advanced.some((each) => form.formState.errors.values?.[each.name])}>
          <ParameterFields parameters={advanced} form={form} />
        </Advanced>
      )}
    </>
  );
}

function WhatIsMade({ template: { spec } }: { template: Template }) {
  const { services, jobs = [], exposure, extraExposures = [] } = spec;
  return (
    <Panel title="What is made">
      <ul>
        {services.map(({ name, image, replicas = 1, ports = [], volumes = [], dependsOn = [] }) => (
          <li key={name} className="border-b border-line px-3.5 py-2 last:border-0">
            <p className="flex justify-between gap-3">
              <span className="font-medium">{name}</span>
              <span className="text-muted">
                {replicas} {replicas === 1 ? 'pod' : 'pods'}
              </span>
            </p>
            <p className="mono text-muted wrap-anywhere">{image}</p>
            <p className="flex flex-wrap gap-1.5 pt-1 empty:hidden">
              {ports.map((port) => (
                <Tag key={port.name}>
                  {port.name} {port.port}
                </Tag>
              ))}
            </p>
            {volumes.map((volume) => (
              <p key={volume.name} className="flex items-center gap-1.5 text-muted">
                <HardDrive aria-hidden className="size-3.5 shrink-0" />
                <span className="min-w-0 wrap-anywhere">
                  volume {volume.name}, {volume.size}
                </span>
              </p>
            ))}
            {dependsOn.length > 0 && <p className="text-muted">starts after {dependsOn.join(', ')}</p>}
          </li>
        ))}
        {jobs.map(({ name, image, schedule }) => (
          <li key={name} className="border-b border-line px-3.5 py-2 last:border-0">
            <p className="flex justify-between gap-3">
              <span className="font-medium">{name}</span>
              <span className="text-muted">{schedule === undefined ? 'job, once' : `job, ${schedule}`}</span>
            </p>
            <p className="mono text-muted wrap-anywhere">{image}</p>
          </li>
        ))}
      </ul>
      <p className="flex items-center gap-1.5 border-t border-line px-3.5 py-2.5 text-muted">
        <Globe aria-hidden className="size-3.5 shrink-0" />
        {exposure
          ? extraExposures.length === 0
            ? `1 public address, which reaches ${exposure.service}`
            : `${1 + extraExposures.length} public addresses; the first reaches ${exposure.service}`
          : 'No public address: private to the team'}
      </p>
    </Panel>
  );
}
