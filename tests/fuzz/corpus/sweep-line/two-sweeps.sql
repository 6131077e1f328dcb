INSERT INTO sweep SELECT 5, zwang, machine, file, title, model, 7, done, chunks, options, seconds, 0 FROM sweep
