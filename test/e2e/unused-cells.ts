import { randomUUID } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import pg from 'pg'
import { until } from '@lettergate/stage'
import type { OwnStack } from './own-stack.ts'

const workspace = '/api/v1/organizations/acme/workspaces/newsletter'

/** Tests that no cell of an uploaded file is stored in plain text, in a stack that logs everything. */
export function testUnusedCells(own: () => OwnStack): void {
  async function call(method: string, path: string, body?: FormData | string) {
    const response = await fetch(`${own().stack().base_url}${workspace}${path}`, {
      method,
      headers: {
        authorization: 'Bearer wallet-session-dev-owner',
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
      },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    return {
      status: response.status,
      json: response.ok ? (JSON.parse(text) as Record<string, Record<string, string>>) : {},
    }
  }

  /** The files below the stack's directory that contain one of these texts: databases with their logs, streams, logs of processes. */
  function filesWith(texts: readonly string[]): string[] {
    const wanted = texts.flatMap((text) => [
      Buffer.from(text),
      Buffer.from(text, 'utf16le'),
      Buffer.from(Buffer.from(text).toString('hex')),
    ])
    return readdirSync(own().directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => {
        let content
        try {
          content = readFileSync(path)
        } catch {
          return false // deleted since
        }
        return wanted.some((bytes) => content.includes(bytes))
      })
  }

  async function query(text: string, values: unknown[]) {
    const client = new pg.Client({ connectionString: own().stack().database_url, options: '-c app.system=test' })
    await client.connect()
    try {
      return (await client.query<{ count: number }>(text, values)).rows
    } finally {
      await client.end()
    }
  }

  async function newAudience(slug: string): Promise<string> {
    const made = await fetch(`${own().stack().base_url}${workspace}/audiences`, {
      method: 'POST',
      headers: { authorization: 'Bearer wallet-session-dev-owner', 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'News', slug, purpose: 'tests' }),
    })
    return ((await made.json()) as { audience: { id: string } }).audience.id
  }

  function upload(text: string, fields: Record<string, string>) {
    const form = new FormData()
    form.append('file', new Blob([text], { type: 'text/csv' }), 'people.csv')
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    return call('POST', '/imports/csv', form)
  }

  const statusOf = async (id: string) => (await call('GET', `/imports/csv/${id}`)).json['import']!['status']

  test('a cell of an uploaded file is in no file of the stack: while it is stored, after it was cancelled and after it expired', async () => {
    const audienceId = await newAudience('stored-cells')
    const [sentinel, label] = [`sentinel-${randomUUID()}`, `label-${randomUUID()}`]

    const send = (rows: string, more: Record<string, string> = {}) =>
      upload(`email,name\n${rows}`, { audience_id: audienceId, source_label: label, ...more })
    const rows = `${sentinel}@example.com,${sentinel}\n`.repeat(20_000)
    const [cancelled, expired] = [await send(rows), await send(rows)]
    expect([cancelled.status, expired.status]).toEqual([201, 201])
    for (const [refused, more] of [
      [`${rows}\u0000`, {}],
      [rows, { audience_id: randomUUID() }],
      [rows, { encoding: sentinel }],
    ] as const)
      expect((await send(refused, more)).status).toBe(422)
    const ids = [cancelled, expired].map(({ json }) => json['import']!['id']!)

    // What is stored in plain text is found, so the search works.
    await until(async () => filesWith([label]).length > 0)
    expect(filesWith([sentinel])).toEqual([])

    expect((await call('POST', `/imports/csv/${ids[0]!}/cancel`)).status).toBe(200)
    await query('update imports.import_jobs set expires_at = now() where id = $1', [ids[1]])
    await until(async () => (await statusOf(ids[1]!)) === 'expired', {
      timeoutMs: 180_000,
      what: 'the import to expire',
    })
    const [left] = await query('select count(*)::int as count from imports.import_chunks where job_id = any($1)', [ids])
    const [keys] = await query('select count(sealed_key)::int as count from imports.import_jobs where id = any($1)', [
      ids,
    ])
    expect([left!.count, keys!.count]).toEqual([0, 0])
    await query('checkpoint', [])
    expect(filesWith([sentinel])).toEqual([])
  }, 400_000)

  test('cells that an import does not use are in no file of the stack, while it is read and applied and after it was completed', async () => {
    const audienceId = await newAudience('applied-cells')
    const [sentinel, imported] = [`sentinel-${randomUUID()}`, `imported-${randomUUID()}`]
    const rows = Array.from({ length: 500 }, (_, n) =>
      [
        `${imported}-${n}@example.com,Ada,subscribed,SE,${sentinel}`,
        `status-${n}@example.com,Ada,${sentinel},SE,`,
        `no address of ${sentinel},Ada,subscribed,SE,`,
        `few-${n}@example.com,${sentinel}`,
        `many-${n}@example.com,Ada,subscribed,SE,x,${sentinel}`,
        `country-${n}@example.com,Ada,subscribed,${sentinel},`,
        `"quotes" of ${sentinel},Ada,subscribed,SE,`,
      ].join('\n'),
    )
    const sent = await upload(`email,name,status,country,note\n${rows.join('\n')}\n`, {
      audience_id: audienceId,
      source_label: 'CRM',
    })
    const id = sent.json['import']!['id']!
    const mapped = await call(
      'PATCH',
      `/imports/csv/${id}/mapping`,
      JSON.stringify({
        mapping: { email: 'email', name: 'first_name', status: 'status', country: 'country_code' },
        consent_policy: 'review_required',
        policy: {},
      }),
    )
    expect([sent.status, mapped.status]).toEqual([201, 200])
    const reached = (status: string) =>
      until(async () => (await statusOf(id)) === status, { timeoutMs: 180_000, what: `the import to be ${status}` })
    await reached('ready_for_review')
    expect(filesWith([sentinel])).toEqual([])

    const confirmation = `APPLY CSV IMPORT ${id} TO acme/newsletter`
    expect((await call('POST', `/imports/csv/${id}/approve`, JSON.stringify({ confirmation }))).status).toBe(200)
    await reached('completed')
    const report = (await call('GET', `/imports/csv/${id}`)).json['import']!['report'] as unknown as Record<
      string,
      object
    >
    expect(report['invalid_reasons']).toEqual({
      country_code_invalid: 500,
      status_unknown: 500,
      email_invalid: 500,
      too_few_cells: 500,
      too_many_cells: 500,
      malformed_quotes: 500,
    })
    await query('checkpoint', [])
    expect(filesWith([`${imported}-1@example.com`]).length).toBeGreaterThan(0)
    expect(filesWith([sentinel])).toEqual([])
  }, 400_000)
}
