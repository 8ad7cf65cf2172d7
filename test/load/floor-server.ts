// The floors that need an HTTP server, in their own process like the services: only express 5 and the statements of each request.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import express from 'express'
import pg from 'pg'

const [databaseUrl, signingKey] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: databaseUrl!, max: 10 })
const app = express()
app.use(express.json())

app.post('/upsert', async (request, response) => {
  const { email, first_name: firstName } = request.body as { email: string; first_name: string }
  const { rows } = await pool.query(
    'insert into people (id, email, first_name) values ($1, $2, $3) on conflict (email) do update set first_name = excluded.first_name returning id',
    [randomUUID(), email.toLowerCase(), firstName],
  )
  response.json({ id: rows[0].id })
})

app.post('/source-event', async (request, response) => {
  const {
    source_event_id: eventId,
    destination_audience_id: audienceId,
    contact,
    consent,
  } = request.body as {
    source_event_id: string
    destination_audience_id: string
    contact: { email: string; first_name: string }
    consent: object
  }
  const [consentId, client] = [randomUUID(), await pool.connect()]
  await client.query('begin')
  const { rows } = await client.query(
    'insert into people (id, email, first_name) values ($1, $2, $3) on conflict (email) do update set email = excluded.email returning id',
    [randomUUID(), contact.email.toLowerCase(), contact.first_name],
  )
  await client.query('insert into consents (id, person_id, audience_id, claim) values ($1, $2, $3, $4)', [
    consentId,
    rows[0].id,
    audienceId,
    JSON.stringify(consent),
  ])
  await client.query(
    'insert into sign_ups values ($1, $2, $3) on conflict (audience_id, person_id) do update set consent_id = excluded.consent_id',
    [audienceId, rows[0].id, consentId],
  )
  await client.query('insert into receipts values ($1, $2, $3, $4)', [
    request.headers['idempotency-key'],
    eventId,
    JSON.stringify(request.body),
    consentId,
  ])
  await client.query('commit')
  client.release()
  response.json({ status: 'accepted', consent_event_id: consentId })
})

app.get('/eligibility/:contact', async (request, response) => {
  const { rows } = await pool.query('select contact_id, email, suppressed_at from members where contact_id = $1', [
    request.params.contact,
  ])
  response.json({ eligible: rows[0].suppressed_at === null, contact_id: rows[0].contact_id })
})

app.post('/webhook', async (request, response) => {
  const { signature, 'event-data': event } = request.body as {
    signature: { timestamp: string; token: string; signature: string }
    'event-data': { id: string }
  }
  const expected = createHmac('sha256', signingKey!)
    .update(signature.timestamp + signature.token)
    .digest()
  if (!timingSafeEqual(expected, Buffer.from(signature.signature, 'hex'))) return void response.status(401).end()
  await pool.query('insert into events (id, body) values ($1, $2) on conflict do nothing', [
    event.id,
    JSON.stringify(event),
  ])
  response.json({ status: 'processed' })
})

const server = app.listen(0, '127.0.0.1')
server.once('listening', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`))
