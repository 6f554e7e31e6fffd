import { ROUTES } from '@berth/core/api';
import { describe, expect, it } from 'vitest';
import { auditWords } from './audit-words.ts';

describe('what an audit record says was done', () => {
  const of = ({ method, path }: { method: string; path: string }) =>
    auditWords({ action: 'deployment:update', method, route: path });

  it('is the deed, where the summary of its route names a thing', () => {
    expect(of(ROUTES.scaleService)).toBe('Scale a service');
    expect(of(ROUTES.createDeployment)).toBe('Deploy a template');
  });

  it('tells what the platform did by itself from what a person may do', () => {
    const delivered = { action: 'secret:read', method: 'GET', route: '/internal/secrets' };
    expect(auditWords(delivered)).toBe('Deliver a secret to its namespace');
    expect(auditWords({ action: 'deployment:create' })).toBe('Find a deployment made in the cluster');
  });

  it('falls back to what the permission allows, and to the action as it is written', () => {
    expect(auditWords({ action: 'deployment:logs' })).toBe('Read logs');
    expect(auditWords({ action: 'unheard:of' })).toBe('Unheard:of');
  });
});
