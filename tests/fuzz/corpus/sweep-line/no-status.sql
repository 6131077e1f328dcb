UPDATE samples SET status = 'text'
