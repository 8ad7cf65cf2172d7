// The floors that need an HTTP server, as a process of its own like ours: express 5 and one statement a request, nothing else.
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

app.post('/webhook', async (request, response) => {
  const { signature, 'event-data': event } = request.body as {
    signature: { timestamp: string; token: string; signature: string }
    'event-data': { id: string }
  }
  const wanted = createHmac('sha256', signingKey!)
    .update(signature.timestamp + signature.token)
    .digest()
  if (!timingSafeEqual(wanted, Buffer.from(signature.signature, 'hex'))) return void response.status(401).end()
  await pool.query('insert into events (id, body) values ($1, $2) on conflict do nothing', [
    event.id,
    JSON.stringify(event),
  ])
  response.json({ status: 'processed' })
})

const server = app.listen(0, '127.0.0.1')
server.once('listening', () => process.stdout.write(`${(server.address() as { port: number }).port}\n`))
