import { announce } from '../announce.ts'
import { answerHealth } from '../health.ts'
import { listen } from '../listen.ts'
import { loadConfig } from './config.ts'
import { startJaeger } from './jaeger.ts'

const config = loadConfig()
const jaeger = startJaeger(config)
const answer = answerHealth('jaeger')
const health = await listen((req, res) => {
  const healthy = () => void (answer(req, res) || res.writeHead(404).end())
  if (req.url === '/readyz') void jaeger.isReady().then((isReady) => (isReady ? healthy() : res.writeHead(503).end()))
  else healthy()
}, config.healthPort)
void jaeger.ended.then(() => process.exit(1))
announce('jaeger', { url: jaeger.url, health: health.url }, [health, jaeger])
