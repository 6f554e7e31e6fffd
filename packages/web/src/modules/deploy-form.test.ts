import { describe, expect, it } from 'vitest';
import { someTemplates } from '../testing/fixtures.ts';
import { type DeployForm, deployFormProblems, deployFormResolver, hostInput, listErrors } from './deploy-form.ts';
import { freeName } from './free-name.ts';
import { generateSecret, rawFromValues, valuesFromRaw } from './parameter-values.ts';

const parameters = someTemplates()[0]?.parameters ?? [];
const rules = { parameters, domain: 'localhost', takenNames: new Set(['taken']), editing: false };
const aForm = (more: Partial<DeployForm> = {}): DeployForm => ({
  name: 'guestbook',
  displayName: '',
  host: '',
  values: { ...rawFromValues(parameters), moderatorPassword: 'long enough' },
  ...more,
});

describe('the form of a deployment', () => {
  it('opens with the defaults and never with a secret', () => {
    const raw = rawFromValues(parameters, { title: 'Ours', moderatorPassword: 'leaked' });
    expect(raw).toMatchObject({ title: 'Ours', entriesPerPage: '20', theme: 'plain', moderated: false });
    expect(raw.moderatorPassword).toBe('');
  });

  it('sends numbers as numbers and leaves out what is empty', () => {
    const values = valuesFromRaw(parameters, { ...rawFromValues(parameters), entriesPerPage: ' 30 ' });
    expect(values.entriesPerPage).toBe(30);
    expect(values).not.toHaveProperty('moderatorPassword');
    expect(values).not.toHaveProperty('greeting');
  });

  it('keeps what is no number for the schema to refuse', () => {
    const values = { ...aForm().values, entriesPerPage: 'many' };
    expect(deployFormProblems(aForm({ values }), rules)).toEqual([
      { path: 'values.entriesPerPage', message: 'must be a whole number' },
    ]);
  });

  it('sends an emptied text that has a default as empty, so that the default does not come back', () => {
    const greeting = { type: 'text', name: 'greeting', label: 'Greeting', default: 'Hello' } as const;
    expect(valuesFromRaw([greeting], { greeting: '' })).toEqual({ greeting: '' });
  });

  it('finds everything that is wrong at once, in words that name the field', async () => {
    const form = aForm({
      name: 'taken',
      host: 'a b',
      values: { ...aForm().values, title: '', moderatorPassword: 'x' },
    });
    const result = await deployFormResolver(() => rules)(form, undefined, {
      fields: {},
      shouldUseNativeValidation: false,
    });
    expect(listErrors(result.errors, parameters)).toEqual([
      { path: 'name', message: 'Name is taken in this team' },
      { path: 'values.title', message: 'Title is required' },
      { path: 'values.moderatorPassword', message: 'Moderator password needs at least 8 characters' },
      { path: 'host', message: 'Address is not a host name such as shop or shop.example.com' },
    ]);
  });

  it('asks for no secret and no name when an existing one is edited', () => {
    const form = aForm({ name: 'taken', values: rawFromValues(parameters) });
    expect(deployFormProblems(form, { ...rules, editing: true })).toEqual([]);
  });
});

describe('freeName', () => {
  it('makes a name of what is wanted and steps over taken ones', () => {
    expect(freeName('My Shop!', new Set())).toBe('my-shop');
    expect(freeName('shop', new Set(['shop', 'shop-2']))).toBe('shop-3');
    expect(freeName('a'.repeat(63), new Set(['a'.repeat(63)]))).toBe(`${'a'.repeat(61)}-2`);
  });
});

describe('hostInput', () => {
  it('is empty for the usual address, short under our domain, whole for a custom host', () => {
    expect(hostInput('shop.localhost', 'shop', 'localhost')).toBe('');
    expect(hostInput('store.localhost', 'shop', 'localhost')).toBe('store');
    expect(hostInput('shop.example.com', 'shop', 'localhost')).toBe('shop.example.com');
  });
});

describe('generateSecret', () => {
  it('has the length asked for and drops bytes that would make some letters likelier', () => {
    let next = 0;
    const bytes = (size: number) => Uint8Array.from({ length: size }, () => (next++ % 2 === 0 ? 255 : 0));
    expect(generateSecret(12, bytes)).toBe('A'.repeat(12));
  });
});
