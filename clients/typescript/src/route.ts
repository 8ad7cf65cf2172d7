/** How an operation is requested; generated from the OpenAPI documents. */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** with `{name}` for each parameter */
  path: string
  /** the names of its query parameters */
  query?: readonly string[]
  /** none when absent */
  body?: 'json' | 'form'
  /** JSON when absent */
  answer?: 'text'
  /** whether it needs an idempotency key, so that a repeat has no further effect */
  takesKey?: true
}
