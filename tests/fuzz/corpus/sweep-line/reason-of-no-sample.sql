INSERT INTO failures VALUES (5, 'it will not')
