import { describe, expect, it } from 'vitest';
import { aDeployment, ago } from '../testing/fixtures.ts';
import { namesInWords, updateNewsOf } from './update-words.ts';

const update = { generation: 9, since: ago(1) };

describe('updateNewsOf', () => {
  it('says which revision was stopped and which one serves', () => {
    const deployment = aDeployment({
      revision: 5,
      update: {
        ...update,
        state: 'stopped',
        servingRevision: '4',
        message: 'The readiness probe of web answered 500.',
      },
    });
    expect(updateNewsOf(deployment)).toEqual({
      state: 'stopped',
      wanted: 5,
      serving: 4,
      title: 'Update to revision 5 was stopped. Revision 4 keeps serving.',
      message: 'The readiness probe of web answered 500.',
    });
  });

  it('does not hold the end of an earlier update against a newer change', () => {
    const stopped = { ...update, state: 'stopped', servingRevision: '4' } as const;
    const news = updateNewsOf(aDeployment({ revision: 6, phase: 'Updating', update: stopped }));
    expect(news).toMatchObject({ state: 'progressing', title: 'Updating to revision 6' });
  });

  it('announces which services are down while they are replaced', () => {
    const deployment = aDeployment({ update: { ...update, state: 'progressing', replaces: ['database'] } });
    expect(updateNewsOf(deployment)?.message).toBe('database is being replaced: down for some seconds.');
  });

  it('does not call a revision the serving one when it is the wanted one, or none at all', () => {
    for (const servingRevision of ['5', '', 'x', undefined]) {
      const deployment = aDeployment({ revision: 5, update: { ...update, state: 'stopped', servingRevision } });
      expect(updateNewsOf(deployment)?.serving).toBeUndefined();
    }
  });

  it('says so while updates are paused, before the operator does', () => {
    expect(updateNewsOf(aDeployment({ paused: true }))?.state).toBe('paused');
  });

  it('is silent when there is nothing to say', () => {
    expect(updateNewsOf(aDeployment())).toBeUndefined();
    expect(updateNewsOf(aDeployment({ update: { ...update, state: 'complete' } }))).toBeUndefined();
    const stopped = { ...update, state: 'stopped' } as const;
    expect(updateNewsOf(aDeployment({ desired: 'stopped', update: stopped }))).toBeUndefined();
  });
});

describe('namesInWords', () => {
  it.each([
    [[], ''],
    [['web'], 'web'],
    [['web', 'api'], 'web and api'],
    [['web', 'api', 'database'], 'web, api and database'],
  ])('%j', (names, words) => {
    expect(namesInWords(names)).toBe(words);
  });
});
