import { expect, test } from '@jest/globals'
import { loggedError } from '../src/logged-error.ts'

/** An error as pg throws it. */
const refused = (message: string, more: object) =>
  Object.assign(new Error(message), { code: '23502', table: 'contacts', ...more })

test('an error of the database is logged without the row, the key or the address that it quotes', () => {
  const errors = [
    refused('null value in column "email" violates not-null constraint', {
      detail: 'Failing row contains (01a1, Ada Lovelace, ada@example.com, null).',
    }),
    refused('duplicate key value violates unique constraint "contacts_normalized_email"', {
      detail: 'Key (normalized_email)=(ada@example.com) already exists.',
    }),
    refused('invalid input syntax for type uuid: "ada@example.com"', {
      where: 'unnamed portal parameter $1 = Lovelace',
    }),
    new Error('insert refused\n - detail: Key (name)=(Lovelace) already exists.'),
    new Error('outer', { cause: refused('no uuid: "ada@example.com"', { detail: 'Lovelace' }) }),
    Object.assign(new Error('wrapped'), { previous: refused('no uuid: "ada@example.com"', { detail: 'Lovelace' }) }),
    new AggregateError([refused('no uuid: "ada@example.com"', { detail: 'Lovelace' })]),
  ]
  for (const error of errors) {
    const logged = JSON.stringify(loggedError(error))
    expect(logged).not.toMatch(/ada@|lovelace/i)
    expect(logged).toContain('logged-error.test.ts')
  }
  expect(loggedError(errors[0])).toMatchObject({ code: '23502', table: 'contacts', message: errors[0]!.message })
})

test('a value that is not an error is logged without addresses', () => {
  expect(loggedError('to ada@example.com')).toBe('to [address]')
  expect(loggedError(undefined)).toBeUndefined()
})
