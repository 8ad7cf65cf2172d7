import type { Route } from './route.ts'

/** The input of an operation: parameters by name, `body`, and `idempotency_key`. */
export type Input = Record<string, unknown>

/** A value that no request can have, such as a missing parameter of the path. */
export class InputError extends TypeError {}

type Scalar = string | number | boolean | null | undefined

/** `fetch` resolves such a segment, also when it is encoded: the request would go to another operation. */
const isDots = (value: string) => value === '.' || value === '..'

/** The address of a request, relative to the base URL. Throws InputError for a missing or impossible parameter of the path. */
export function addressOf(route: Route, input: Input): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input[name]
    if (typeof value !== 'string' || value === '') throw new InputError(`${route.path} needs ${name}.`)
    if (isDots(value)) throw new InputError(`${name} cannot be ${value}.`)
    return encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const name of route.query ?? []) {
    for (const value of [input[name] as Scalar | Scalar[]].flat())
      if (value !== undefined && value !== null) query.append(name, String(value))
  }
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

/** The body with its content type; a form gets its own from `fetch`. */
export function bodyOf(route: Route, input: Input): { body?: string | FormData; headers: Record<string, string> } {
  const value = input['body']
  if (route.body === undefined || value === undefined) return { headers: {} }
  if (route.body === 'json') return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' } }
  const form = new FormData()
  for (const [name, field] of Object.entries(value as Record<string, Blob | string | null | undefined>)) {
    if (field instanceof Blob) form.append(name, field)
    else if (field !== undefined && field !== null) form.append(name, field)
  }
  return { body: form, headers: {} }
}
